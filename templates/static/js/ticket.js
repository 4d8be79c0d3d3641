// A ticket's QR code carries its check code behind #, which no browser sends to a server. Put it into the form's field
// and take it out of the address. Without this the code is typed as it is printed. The text itself goes into the field
// of the form that checks the operator's signature, without the code, which is not signed.
"use strict";
const parts = location.hash.slice(1).split("&");
const field = document.querySelector("#holder input[name=check_code]");
if (field && parts[0] === "T3" && parts.length > 1) {
  if (!field.value) field.value = decodeURIComponent(parts[1]);
  const text = document.querySelector("#signed textarea");
  if (text && !text.value) text.value = `${location.origin}${location.pathname}#T3&&${parts.slice(2).join("&")}`;
  history.replaceState(null, "", location.pathname);
  document.querySelector("#holder button").focus();
}

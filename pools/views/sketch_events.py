"""What can be done on the step of the events beside typing: a file is read, a reserve event takes a place (A5)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.permissions import organizer_only
from pools.forms.sketch_events import ReplacementForm, lines_of, read_lines
from pools.forms.sketching import StepTexts
from pools.services.event_files import MOST_BYTES, EventFault, ReadEvents, read_events, sample_file

SAMPLE_NAME = "events.csv"


@dataclass(slots=True)
class Worked:
    """The step as it is to be kept, and what came of the file or of the replacement; `faults`: nothing was taken."""

    typed: StepTexts
    said: str = ""
    faults: Sequence[EventFault] = field(default_factory=tuple)
    refused: str | Promise = ""

    @property
    def stays(self) -> bool:
        """Whether the person stays on the step."""
        return bool(self.said or self.faults or self.refused)


def worked_on(request: HttpRequest, typed: StepTexts) -> Worked:
    """Do what was asked beside saving."""
    file = request.FILES.get("file")
    if file is not None:
        return _read(file, typed)
    if request.POST.get("do") == "import":
        return Worked(typed, refused=gettext_lazy("Choose a file first."))
    if request.POST.get("do") == "replace":
        return _replaced(request, typed)
    return Worked(typed)


@organizer_only
def sample(_request: HttpRequest) -> HttpResponseBase:
    """Send a file of events that can be filled in and read."""
    answer = HttpResponse(sample_file(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{SAMPLE_NAME}"'
    return answer


def _read(file: "UploadedFile[bytes]", typed: StepTexts) -> Worked:
    if (file.size or 0) > MOST_BYTES:
        return Worked(typed, refused=gettext_lazy("The file must be at most 1 MB long."))
    read = read_events(file.read())
    if read.faults:
        return Worked(typed, faults=read.faults)
    common = {event.outcomes for event in read.events}
    typed = {**typed, **_texts(read, own_outcomes=len(common) > 1)}
    if len(common) == 1 and (codes := common.pop()):
        typed["outcomes"] = [" ".join(codes)]
    number = sum(not event.is_reserve for event in read.events)
    said = ngettext("%(number)s event is read.", "%(number)s events are read.", number) % {"number": number}
    if reserve := len(read.events) - number:
        told = ngettext("%(number)s reserve event is read.", "%(number)s reserve events are read.", reserve)
        said = f"{said} {told % {'number': reserve}}"
    return Worked(typed, said=said)


def _texts(read: ReadEvents, *, own_outcomes: bool) -> StepTexts:
    events = read.events if own_outcomes else [replace(event, outcomes=()) for event in read.events]
    return {
        name: [lines_of([event for event in events if event.is_reserve == in_reserve])]
        for name, in_reserve in (("events", False), ("reserve", True))
    }


def _replaced(request: HttpRequest, typed: StepTexts) -> Worked:
    form = ReplacementForm(request.POST)
    if not form.is_valid():
        return Worked(typed, refused=gettext_lazy("Give the numbers of both events."))
    try:
        events, reserve = (read_lines("\n".join(typed.get(name, []))) for name in ("events", "reserve"))
    except ValidationError as fault:
        return Worked(typed, refused=fault.messages[0])
    out, place = form.cleaned_data["falls_out"], form.cleaned_data["takes_place"]
    if out > len(events) or place > len(reserve):
        return Worked(typed, refused=gettext_lazy("There is no event with this number."))
    fallen, events[out - 1] = events[out - 1], reserve.pop(place - 1)
    typed = {**typed, "events": [lines_of(events)], "reserve": [lines_of(reserve)]}
    words = _("“%(name)s” has fallen out; “%(other)s” is number %(number)s now.")
    said = words % {"name": fallen.names["ru"], "other": events[out - 1].names["ru"], "number": out}
    return Worked(typed, said=said)

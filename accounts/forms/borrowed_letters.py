"""Words of the letters that allauth sends. It has no Belarusian of its own, so our catalogues carry them."""

from django.utils.translation import gettext_noop

BORROWED = (
    gettext_noop(
        "You are receiving this email because you or someone else tried to signup for an\n"
        "account using email address:\n\n%(email)s\n\nHowever, an account using that email "
        "address already exists.  In case you have\nforgotten about this, please use the "
        "password forgotten procedure to recover\nyour account:\n\n%(password_reset_url)s"
    ),
    gettext_noop("Account Already Exists"),
    gettext_noop("You are receiving this mail because the following change was made to your account:"),
    gettext_noop(
        "If you do not recognize this change then please take proper security precautions "
        "immediately. The change to your account originates from:\n\n- IP address: %(ip)s\n- "
        "Browser: %(user_agent)s\n- Date: %(timestamp)s"
    ),
    gettext_noop("Your email has been changed from %(from_email)s to %(to_email)s."),
    gettext_noop("Email Changed"),
    gettext_noop("Your email has been confirmed."),
    gettext_noop("Email Confirmation"),
    gettext_noop(
        "You're receiving this email because user %(user_display)s has given your email "
        "address to register an account on %(site_domain)s."
    ),
    gettext_noop("Your email verification code is listed below. Please enter it in your open browser window."),
    gettext_noop("To confirm this is correct, go to %(activate_url)s"),
    gettext_noop("Please Confirm Your Email Address"),
    gettext_noop("Email address %(deleted_email)s has been removed from your account."),
    gettext_noop("Email Removed"),
    gettext_noop("Your password has been changed."),
    gettext_noop("Password Changed"),
    gettext_noop(
        "You're receiving this email because you or someone else has requested a password "
        "reset for your user account.\nIt can be safely ignored if you did not request a "
        "password reset. Click the link below to reset your password."
    ),
    gettext_noop("Password Reset Email"),
    gettext_noop("Your password has been reset."),
    gettext_noop("Password Reset"),
    gettext_noop("Your password has been set."),
    gettext_noop("Password Set"),
    gettext_noop(
        "You are receiving this email because you, or someone else, tried to access an account "
        "with email %(email)s. However, we do not have any record of such an account in our "
        "database."
    ),
    gettext_noop("This mail can be safely ignored if you did not initiate this action."),
    gettext_noop("If it was you, you can sign up for an account using the link below."),
    gettext_noop("Unknown Account"),
    gettext_noop("A new set of Two-Factor Authentication recovery codes has been generated."),
    gettext_noop("New Recovery Codes Generated"),
    gettext_noop("Authenticator app activated."),
    gettext_noop("Authenticator App Activated"),
    gettext_noop("Authenticator app deactivated."),
    gettext_noop("Authenticator App Deactivated"),
    gettext_noop("A new security key has been added."),
    gettext_noop("Security Key Added"),
    gettext_noop("A security key has been removed."),
    gettext_noop("Security Key Removed"),
)

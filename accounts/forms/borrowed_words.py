"""Words that allauth shows on our pages. It has no Belarusian of its own, so our catalogues carry them."""

from django.utils.translation import gettext_noop

BORROWED = (
    gettext_noop("Username"),
    gettext_noop("Login"),
    gettext_noop("Password"),
    gettext_noop("Password (again)"),
    gettext_noop("Email"),
    gettext_noop("Email address"),
    gettext_noop("Remember Me"),
    gettext_noop("Forgot your password?"),
    gettext_noop("Current Password"),
    gettext_noop("New Password"),
    gettext_noop("New Password (again)"),
    gettext_noop("This account is currently inactive."),
    gettext_noop("The username and/or password you specified are not correct."),
    gettext_noop("Too many failed login attempts. Try again later."),
    gettext_noop("A user is already registered with this email address."),
    gettext_noop("Please type your current password."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("You have signed out."),
    gettext_noop("Successfully signed in as %(name)s."),
    gettext_noop("Password successfully changed."),
)

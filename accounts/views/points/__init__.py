"""The organizer's pages of betting points: their register, papers, tills, terminals, shifts, cash on its way."""

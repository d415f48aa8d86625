/** The outcomes of a bundle with which nothing is wrong, by verdict. */
export const allHold = {
  integrity: 'holds',
  authenticity: 'holds',
  authorisation: 'holds',
  binding: 'holds',
  completeness: 'holds',
  freshness: 'holds',
}

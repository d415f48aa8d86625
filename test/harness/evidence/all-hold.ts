/** The outcomes of a valid bundle, by verdict. */
export const allHold = {
  integrity: 'holds',
  authenticity: 'holds',
  authorisation: 'holds',
  binding: 'holds',
  completeness: 'holds',
  freshness: 'holds',
}

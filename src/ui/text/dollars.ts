/** A cost as text: two places of a dollar, four below one dollar. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`
}

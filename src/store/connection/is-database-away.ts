const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  // The server ended the connection while something was being written to it.
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
])
const awayMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Whether something failed because Postgres could not be reached, or ended the connection: it may work when it is back. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return awayCodes.has(code) || code.startsWith('08') || awayMessages.test(error.message)
}

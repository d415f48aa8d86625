import { isDatabaseAway } from '#store/connection/database-outage.ts'

/**
 * The text of an error for logs and rows. It is the message if that cannot quote a model, a person
 * or a file: errors of the network, of Temporal, and of Postgres except for values that it could
 * not parse. For other errors it is only the name and code.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return 'an error without a message'
  return quotesNobody(error) ? error.message : `${error.name}${codeOf(error)}`
}

const networkCalls = new Set(['connect', 'getaddrinfo', 'read', 'write'])
/** Errors whose messages are sentences of this service or a library, about ids and addresses. */
const sentences = new Set(['Problem', 'ForeignNamespaceError', 'ServiceError', 'Refusal'])

function quotesNobody(error: Error): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof syscall === 'string') return networkCalls.has(syscall)
  if (sentences.has(error.name)) return true
  // A SQLSTATE; the messages of class 22 quote the value that could not be parsed.
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return !code.startsWith('22')
  // gRPC codes are numbers.
  return typeof code === 'number' || isDatabaseAway(error)
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? ` (${code})` : ''
}

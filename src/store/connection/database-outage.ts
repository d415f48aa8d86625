import { errorCode } from '#domain/error-code.ts'
import { areTooManyFilesOpen } from '#domain/too-many-files.ts'
import { BusyError } from '#domain/sharing/shares.ts'

/**
 * Why the database cannot work at present. Each passes without an act of the service, and has its
 * own message (security.md 42).
 */
export type DatabaseOutage =
  | 'disk_full'
  | 'disk_read_only'
  | 'too_many_files'
  | 'database_too_many_files'
  | 'database_away'
  | 'database_busy'
  | 'database_slow'
  | 'database_read_only'

/** By SQLSTATE; those of the operating system are of this process's own files. */
const byCode = new Map<string, DatabaseOutage>([
  ['53100', 'disk_full'],
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['EROFS', 'disk_read_only'],
  ['53000', 'database_too_many_files'],
  // A statement or a lock took longer than the server allows.
  ['57014', 'database_slow'],
  ['55P03', 'database_slow'],
  ['53200', 'database_slow'],
  ['53300', 'database_busy'],
  // A standby took over, or is about to.
  ['25006', 'database_read_only'],
])

/** The outage that an error comes from; `null`: none, so the error is a defect. */
export function databaseOutageOf(error: unknown): DatabaseOutage | null {
  if (error instanceof BusyError) return 'database_busy'
  if (!(error instanceof Error)) return null
  const code = errorCode(error) ?? ''
  const outage = byCode.get(code)
  if (outage !== undefined) return outage
  if (code.startsWith('58') && /No space left on device/i.test(error.message)) return 'disk_full'
  if (areTooManyFilesOpen(error)) return 'too_many_files'
  // Postgres has the code of a missing right for it.
  if (code === '42501' && /Read-only file system/i.test(error.message)) return 'disk_read_only'
  return isDatabaseAway(error) ? 'database_away' : null
}

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  // The server ended the connection while something was being written to it.
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  // This process was silent in a transaction for too long.
  '25P03',
])
const awayMessages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/

/**
 * Whether an error means that Postgres could not be reached or ended the connection. A retry may
 * succeed later.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = errorCode(error) ?? ''
  return awayCodes.has(code) || code.startsWith('08') || awayMessages.test(error.message)
}

import { expect, it, test } from 'vitest'
import { isDatabaseAway, databaseOutageOf } from './database-outage.ts'
import { BusyError } from '#domain/sharing/shares.ts'

const failed = (code: string, message = 'failed') => Object.assign(new Error(message), { code })

// Rules: security.md 42
test.each([
  ['53100', 'disk_full'],
  ['ENOSPC', 'disk_full'],
  ['EROFS', 'disk_read_only'],
  ['EMFILE', 'too_many_files'],
  ['ENFILE', 'too_many_files'],
  ['53000', 'database_too_many_files'],
  ['57014', 'database_slow'],
  ['55P03', 'database_slow'],
  ['53300', 'database_busy'],
  ['25006', 'database_read_only'],
  ['ECONNREFUSED', 'database_away'],
  ['57P01', 'database_away'],
])('%s is %s', (code, outage) => {
  expect(databaseOutageOf(failed(code))).toBe(outage)
})

test('a full and a read-only disk are recognised by their text too, and a timeout for a connection counts as a busy database', () => {
  const full = failed('58030', 'could not write to file "base/1": No space left on device')
  expect(databaseOutageOf(full)).toBe('disk_full')
  const readOnly = failed('42501', 'could not open file "base/1": Read-only file system')
  expect(databaseOutageOf(readOnly)).toBe('disk_read_only')
  expect(databaseOutageOf(new BusyError('no place'))).toBe('database_busy')
})

test('a defect is no outage, and neither is a value that is no error', () => {
  expect(databaseOutageOf(failed('23505'))).toBeNull()
  expect(databaseOutageOf(failed('42601', 'No space left on device'))).toBeNull()
  expect(databaseOutageOf(failed('42501', 'permission denied for table run'))).toBeNull()
  expect(databaseOutageOf('53100')).toBeNull()
})

it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '08006'])(
  'counts %s as an unreachable database',
  (code) => {
    expect(isDatabaseAway(Object.assign(new Error('failed'), { code }))).toBe(true)
  },
)

it('counts no other error as one', () => {
  expect(isDatabaseAway(Object.assign(new Error('duplicate key'), { code: '23505' }))).toBe(false)
  expect(isDatabaseAway('ECONNRESET')).toBe(false)
})

import { expect, it } from 'vitest'
import { isDatabaseAway } from './is-database-away.ts'

it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '08006'])(
  'takes %s for a database that is away',
  (code) => {
    expect(isDatabaseAway(Object.assign(new Error('failed'), { code }))).toBe(true)
  },
)

it('takes nothing else for it', () => {
  expect(isDatabaseAway(Object.assign(new Error('duplicate key'), { code: '23505' }))).toBe(false)
  expect(isDatabaseAway('ECONNRESET')).toBe(false)
})

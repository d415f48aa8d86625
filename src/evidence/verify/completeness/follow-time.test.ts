import { expect, test } from 'vitest'
import { Findings } from '../findings/finding.ts'
import { LogClock } from '../findings/log-clock.ts'
import { readEvent } from '../findings/logged-event.ts'
import { followTime } from './follow-time.ts'

// Rules: security.md 13
test('a clock that went back 150,000 times is one warning', () => {
  const findings = new Findings('completeness')
  const check = followTime(findings, new LogClock())
  const times = ['2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z']
  const [early, late] = times.map((at) => readEvent(0, JSON.stringify({ at }))!)
  for (let pairs = 0; pairs < 150_000; pairs += 1) {
    check.take(early!)
    check.take(late!)
  }
  check.take(early!)
  check.end()
  const { outcome, warnings } = findings.verdict()
  expect(outcome).toBe('holds')
  expect(warnings.map(({ problem }) => problem)).toEqual([
    expect.stringContaining('was ahead 150000 times, by up to 1 h 0 min or more'),
  ])
})

import { expect, test } from 'vitest'
import { cronWords } from './cron-words.ts'

test.each([
  ['0 6 * * 1-5', 'every weekday at 06:00'],
  ['30 9 * * MON-FRI', 'every weekday at 09:30'],
  ['0 7 * * 1', 'every Monday at 07:00'],
  ['0 7 * * 7', 'every Sunday at 07:00'],
  ['0 22 * * 6,0', 'every Saturday and Sunday at 22:00'],
  ['15 9,17 * * *', 'every day at 09:15 and 17:15'],
  ['0 4 1 * *', 'on the 1st of every month at 04:00'],
  ['0 4 11,22 1,7 *', 'on the 11th and 22nd of January and July at 04:00'],
  ['0 4 * dec *', 'every day in December at 04:00'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['* * * * *', 'every minute'],
  ['0 * * * *', 'every hour'],
  ['0 */2 * * *', 'every 2 hours'],
  ['10 */6 * * 1-5', 'every weekday at 00:10, 06:10, 12:10 and 18:10'],
  ['*/15 8-18 * * *', 'every 15 minutes from 08:00 to 18:45'],
  ['0 8-18 * * 1-5', 'every hour from 08:00 to 18:00, every weekday'],
])('%s in words is "%s"', (cron, words) => {
  expect(cronWords(cron)).toBe(words)
})

test.each(['*/7 * * * *', '0 1,5,9,11,20 * * *', '5/10 * * * *', '0 4 1-20 * *', 'nonsense'])(
  '%s needs more than a sentence, and stays as it is written',
  (cron) => {
    expect(cronWords(cron)).toBe(null)
  },
)

import { expect, test } from 'vitest'
import { failureSentence } from './failure-sentence.ts'

test('a failure is told with its causes, each once: a certificate, a redirect, a refused connection', () => {
  const certificate = new TypeError('fetch failed', {
    cause: new Error('self-signed certificate in certificate chain'),
  })
  expect(failureSentence(certificate, null)).toBe(
    'fetch failed: self-signed certificate in certificate chain',
  )
  const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:9')], '')
  expect(failureSentence(new TypeError('fetch failed', { cause: refused }), null)).toBe(
    'fetch failed: connect ECONNREFUSED ::1:9',
  )
  expect(failureSentence('odd\0\ud800', null)).toBe('odd\uFFFD\uFFFD')
})

test('a refusal names the headers, and nothing of what the server answered', () => {
  const error = Object.assign(new Error('HTTP 401: <script>'), { statusCode: 401 })
  expect(failureSentence(error, null)).toMatch(/^it refuses access \(HTTP 401\): check its headers/)
})

test('of a process that has ended its own end is told', () => {
  expect(failureSentence(new Error('closed'), 'it ended with exit code 3')).toBe(
    'it ended with exit code 3',
  )
})

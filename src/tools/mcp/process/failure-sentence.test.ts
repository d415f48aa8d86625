import { expect, test } from 'vitest'
import { failureSentence } from './failure-sentence.ts'

test('the sentence of a failure has its causes, each once: a certificate, a redirect, a refused connection', () => {
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

test('the sentence of a refusal names the headers, and nothing of the server’s answer', () => {
  const error = Object.assign(new Error('HTTP 401: <script>'), { statusCode: 401 })
  expect(failureSentence(error, null)).toMatch(/^it refuses access \(HTTP 401\): check its headers/)
})

test('the sentence of a process that has ended names its exit', () => {
  expect(failureSentence(new Error('closed'), 'it ended with exit code 3')).toBe(
    'it ended with exit code 3',
  )
})

import { callOver } from '#client/call.ts'
import { readProof } from '../push/session-proof-cache.ts'

const maxMs = 8000

/**
 * Calls the API as the signed-in person, with the proof that the page stored (security.md 39). The
 * call does not extend the session. Rejects if nobody is signed in or the service does not answer
 * within 8 s.
 */
export const callInBackground = callOver(async ({ path, method, headers }) => {
  const proof = await readProof()
  if (proof === null || method !== 'GET') throw new Error('Nobody is signed in')
  const response = await fetch(path, {
    headers: {
      ...headers,
      accept: 'application/json',
      'x-countersign-session': proof,
      'x-countersign-background': '1',
    },
    credentials: 'same-origin',
    signal: AbortSignal.timeout(maxMs),
  })
  if (!response.ok) throw new Error(`The service answered ${response.status}`)
  return response.json()
})

import { Problem } from '#domain/problem.ts'
import { answerWithin } from '../answer-within.ts'
import { findTarget, resolveHost, type Resolve, type TargetRules } from '../webhooks/find-target.ts'

const resolvingMs = 2000
/** Stands for a name that nothing is known of yet. */
const anyPublicAddress = '1.1.1.1'

/**
 * Refuses an address for push messages that leads to a private network, or that is not https, with
 * `invalid_request`. A name that cannot be resolved now is accepted: whatever is sent is judged
 * again, by the address that is connected to.
 */
export async function judgePushEndpoint(
  endpoint: string,
  rules: TargetRules,
  resolve?: Resolve,
): Promise<void> {
  const url = URL.parse(endpoint)
  if (url === null || url.username !== '' || url.password !== '') {
    throw refusal('must be an address without a user name')
  }
  const resolveOnce: Resolve = async (host) => {
    try {
      return await answerWithin(resolvingMs, (resolve ?? resolveHost)(host))
    } catch {
      return [anyPublicAddress]
    }
  }
  try {
    await findTarget(url, rules, resolveOnce)
  } catch (error) {
    throw refusal((error as Error).message)
  }
}

function refusal(message: string): Problem {
  return new Problem('invalid_request', `endpoint: ${message}`, { field: 'endpoint', message })
}

import { errorMessage } from '#domain/error-message.ts'
import { Problem } from '#domain/problem.ts'
import { answerWithin } from '../answer-within.ts'
import {
  findTarget,
  resolveForeignHost,
  type Resolve,
  type TargetRules,
} from '../webhooks/find-target.ts'

const resolvingMs = 2000
/** The result for a name that is unknown so far. */
const anyPublicAddress = '1.1.1.1'

/**
 * Refuses an address for push messages in a private network, or without https, with
 * `invalid_request`. A name that cannot be resolved now is accepted: each delivery checks the
 * address that it connects to.
 */
export async function judgePushEndpoint(endpoint: string, rules: TargetRules): Promise<void> {
  const url = URL.parse(endpoint)
  if (url === null || url.username !== '' || url.password !== '') {
    throw refusal('must be an address without a user name')
  }
  const resolveOnce: Resolve = async (host) => {
    try {
      return await answerWithin(resolvingMs, resolveForeignHost(host))
    } catch {
      return [anyPublicAddress]
    }
  }
  try {
    await findTarget(url, rules, resolveOnce)
  } catch (error) {
    throw refusal(errorMessage(error))
  }
}

function refusal(message: string): Problem {
  return new Problem('invalid_request', `endpoint: ${message}`, { field: 'endpoint', message })
}

import { Problem } from '#domain/problem.ts'
import { findTarget, type Resolve, type TargetRules } from '../webhooks/find-target.ts'

/** Stands for the address of a name. */
const anyPublicAddress = '1.1.1.1'

/**
 * Refuses a `callbackUrl` that no callback could be sent to, with `invalid_request`: an address in
 * a private network, or http outside the development profile. Names are not looked up, so that no
 * program waits for a name server; each callback checks the address that it connects to.
 */
export async function judgeCallback(callbackUrl: string, rules: TargetRules): Promise<void> {
  try {
    await findTarget(new URL(callbackUrl), rules, withoutLookup)
  } catch (error) {
    const { message } = error as Error
    const facts = { field: 'callbackUrl', message }
    throw new Problem('invalid_request', `callbackUrl: ${message}`, facts, { cause: error })
  }
}

const withoutLookup: Resolve = async (host) => [
  host === 'localhost' ? '127.0.0.1' : anyPublicAddress,
]

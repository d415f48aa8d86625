import { inject } from 'vitest'
import type { ServiceAnswer } from './service-desk.ts'

/**
 * The address of a server that the test files of this vitest run share. The first request starts
 * it.
 *
 * @throws with the desk's own sentence when it could not be made.
 */
export async function askService(
  service: 'postgres' | 'temporal' | 'dashboard' | 'packages' | 'service',
): Promise<string> {
  // A kept connection may end between two files, and fail the request of the second.
  const headers = { connection: 'close' }
  const response = await fetch(`${inject('serviceDesk')}/${service}`, { headers })
  if (!response.ok) throw new Error(`no ${service} for this test: ${await response.text()}`)
  const { address } = (await response.json()) as ServiceAnswer
  return address
}

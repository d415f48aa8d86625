import { inject } from 'vitest'
import type { ServiceAnswer } from './service-desk.ts'

/**
 * The address of a shared server of this vitest run, started if nobody asked before.
 *
 * @throws with the desk's own sentence when the server could not be started.
 */
export async function askService(service: 'postgres' | 'temporal'): Promise<string> {
  const response = await fetch(`${inject('serviceDesk')}/${service}`)
  if (!response.ok) throw new Error(`no ${service} for this test: ${await response.text()}`)
  const { address } = (await response.json()) as ServiceAnswer
  return address
}

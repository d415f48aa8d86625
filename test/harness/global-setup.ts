import type { TestProject } from 'vitest/node'
import { startServiceDesk, type ServiceDesk } from './service-desk.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a test asks for the servers it needs; `http://127.0.0.1:PORT`. */
    serviceDesk: string
  }
}

/** One desk for all projects of a vitest run. Each setup loads this module separately. */
const shared = globalThis as {
  countersignDesk?: Promise<ServiceDesk>
  countersignDeskUsers?: number
}

/**
 * Opens the desk at which test files ask for Postgres and Temporal; each server is started when the
 * first file asks, so that a run of a few pure tests starts nothing.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.countersignDesk ??= startServiceDesk()
  shared.countersignDeskUsers = (shared.countersignDeskUsers ?? 0) + 1
  const desk = await shared.countersignDesk
  project.provide('serviceDesk', desk.url)
  return async () => {
    shared.countersignDeskUsers = (shared.countersignDeskUsers ?? 1) - 1
    if (shared.countersignDeskUsers > 0) return
    delete shared.countersignDesk
    await desk.close()
  }
}

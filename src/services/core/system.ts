/**
 * Proof that a process of the service acts by itself. Only this file makes one, and the layers gate
 * lets only `src/runtime` import more than its type.
 */
class ServiceProcess {
  declare protected readonly isSystem: true
}

export type { ServiceProcess }

/** For the composition roots, which pass it to workers, the relay and timers, and to no route. */
export function createServiceProcess(): ServiceProcess {
  return new ServiceProcess()
}

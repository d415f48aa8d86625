import type { Route } from '../route.ts'
import type { ApiSettings } from '../settings.ts'
import { authRoutes } from './auth.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { keyRoutes } from './keys.ts'
import { meRoutes } from './me.ts'
import { peopleRoutes } from './people.ts'

/** Every operation of the contract, in the order of the document. */
export function allRoutes(settings: ApiSettings): Route[] {
  return [
    ...authRoutes(settings),
    ...meRoutes,
    ...keyRoutes,
    ...peopleRoutes,
    ...eventRoutes,
    ...healthRoutes,
  ]
}

import { join } from 'node:path'
import type { CheckTarget } from '../target/check.ts'

/** A project folder at rest, without servers, as doctor examines it. */
export function targetIn(projectDir: string, environment: Record<string, string>): CheckTarget {
  return {
    folders: { projectDir, dataDir: join(projectDir, '.countersign'), isQuickstart: false },
    environment,
    databaseUrl: null,
    temporalAddress: null,
    temporalNamespace: 'default',
    isAtWork: false,
    temporalSecurity: {} as CheckTarget['temporalSecurity'],
  }
}

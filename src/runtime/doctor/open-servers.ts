import { connectTemporal, type TemporalClient } from '../../delivery/temporal-client.ts'
import { connectDatabase, type Db } from '../../store/database.ts'
import type { Patient } from './check.ts'

export type Servers = AsyncDisposable & { db: Db; temporal: TemporalClient }

/** Connections to a patient's Postgres and Temporal; `null` when it does not have both. */
export function openServers(patient: Patient): Servers | null {
  const { databaseUrl, temporalAddress } = patient
  if (databaseUrl === null || temporalAddress === null) return null
  const db = connectDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'countersign doctor',
  })
  const temporal = connectTemporal({
    address: temporalAddress,
    namespace: patient.temporalNamespace,
    ...patient.temporalSecurity,
  })
  return {
    db,
    temporal,
    async [Symbol.asyncDispose]() {
      await temporal.close()
      await db.destroy()
    },
  }
}

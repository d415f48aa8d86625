import { shareRunning } from '#domain/sharing/share-running.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import {
  ForeignNamespaceError,
  rememberNamespace,
} from '#services/installation/remember-namespace.ts'
import type { Db } from '#store/database.ts'

const intervalMs = 5_000

/**
 * Compares Temporal's namespace with the installation's every five seconds. A foreign one is
 * reported once, with its sentence: the process must stop. While Temporal is down nothing is
 * compared, and decisions are still accepted.
 */
export function watchNamespace(
  { db, temporal }: { db: Db; temporal: Pick<TemporalClient, 'namespaceId'> },
  foreign: (sentence: string) => void,
): Disposable {
  // A server that hangs is asked once, and a foreign namespace is reported once.
  let remembered: string | null = null
  const look = shareRunning(async () => {
    try {
      const namespaceId = await temporal.namespaceId()
      if (namespaceId === remembered) return
      await rememberNamespace(db, namespaceId)
      remembered = namespaceId
    } catch (error) {
      if (!(error instanceof ForeignNamespaceError)) return
      clearInterval(timer)
      foreign(error.message)
    }
  })
  const timer = setInterval(() => void look(), intervalMs)
  void look()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

import {
  attachmentsRemotely,
  definitionsRemotely,
  judgeRemotely,
  manualToolsRemotely,
  replayRemotely,
} from '../../delivery/judge-remotely.ts'
import type { TemporalClient } from '../../delivery/temporal-client.ts'
import type { PolicyReader, SigningContext } from '../../services/context.ts'
import type { HeardServer } from '../../services/policy/pins/heard-server.ts'
import type { Db } from '../../store/database.ts'

/** What only the host of a workspace can answer, each as the context has it. */
type Asked = Pick<
  SigningContext,
  'judgeRemotely' | 'manualToolsOf' | 'readAttachments' | 'replayRemotely'
>

/**
 * Asks the host that has the workspace, over Temporal. Which that is, the policy in force says at each question;
 * `taskQueue` is that of a policy that names none. Rejects as `judgeRemotely` does.
 */
export function askHosts(api: {
  readonly db: Db
  readonly temporal: TemporalClient
  readonly policies: PolicyReader
  readonly taskQueue: string
}): { readonly asked: Asked; definitionsOf(worker: string): Promise<readonly HeardServer[]> } {
  const { db, temporal } = api
  const host = async () => {
    const { config } = await api.policies.inForce()
    const taskQueue = config.workspaces.get('default')?.taskQueue ?? api.taskQueue
    return { db, temporal, taskQueue }
  }
  return {
    asked: {
      judgeRemotely: async (question) => judgeRemotely(await host(), question),
      manualToolsOf: async (worker) => manualToolsRemotely(await host(), worker),
      readAttachments: async (question) => attachmentsRemotely(await host(), question),
      replayRemotely: async (question) => replayRemotely(await host(), question),
    },
    definitionsOf: async (worker) => definitionsRemotely(await host(), worker),
  }
}

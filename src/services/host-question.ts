import type { ManualToolsQuestion, RemoteQuestion } from './context.ts'
import type { DefinitionsQuestion } from './policy/pins/heard-server.ts'
import type { ReplayQuestion } from './policy/replay/replay-question.ts'
import type { AttachmentsQuestion } from './runs/attachments/attachments-question.ts'

/** What the API asks of the host that has the workspace; the members tell which. */
export type HostQuestion =
  | RemoteQuestion
  | ManualToolsQuestion
  | DefinitionsQuestion
  | ReplayQuestion
  | AttachmentsQuestion

import { z } from 'zod'
import { requestSorts } from '#domain/requests/request.ts'
import { editsPolicies } from '#domain/policy/verdict.ts'
import {
  hash,
  id,
  instant,
  json,
  name,
  page,
  person,
  risk,
  runRef,
  searchText,
  text,
  toolName,
} from '../common.ts'
import { externalDetail } from './external-request.ts'
import { scope } from '../policy/grants.ts'
import { runState } from '../runs/runs.ts'
import * as example from '../examples.ts'
import {
  callTitle,
  requestState,
  presentation,
  decisionView,
  batchWithSiblings,
  namedFile,
  quorumPlace,
  erasedContents,
} from './request-parts.ts'
import { alike } from './alike.ts'
import { commentView } from './comments.ts'
import { itemExample, requestItem } from './request-item.ts'

export const requestsQuery = z.strictObject({
  ...page,
  state: requestState.optional(),
  queue: name.optional().describe('Name of a queue'),
  risk: risk.optional(),
  tool: name.optional().describe('Name of a tool'),
  runId: runRef.optional(),
  rule: searchText(1000).optional().describe('Id of the rule that requires the approval'),
  mine: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: pending requests that the caller may decide and has not voted on'),
  snoozed: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true`: pending requests that the caller has snoozed; with `mine`, those of them that the caller may decide',
    ),
  from: instant.optional().describe('Opened at this time or later'),
  to: instant.optional().describe('Opened before this time'),
  worker: name
    .or(z.literal(''))
    .optional()
    .describe('Name of the worker of a run or program; empty: programs that name none'),
  decidedBy: id.optional().describe('Id of a person who has voted on it'),
  decision: z
    .enum(['approve', 'deny'])
    .optional()
    .describe('Requests with such a vote by `decidedBy`, or by anybody if that is absent'),
  effect: z
    .enum(['succeeded', 'failed'])
    .optional()
    .describe('The outcome of its last execution, or the outcome that a program reported'),
  decided: z.literal('true').optional().describe('Approved or denied'),
  unseen: z
    .literal('true')
    .optional()
    .describe('Expired before anybody voted on it, claimed it, commented on it or handed it over'),
  grantsUsed: z
    .literal('true')
    .optional()
    .describe('Later calls ran on grants of its approvals, of `decidedBy` or of anybody'),
  externalId: searchText(200)
    .optional()
    .describe('The identifier that the program gave its request, exactly'),
  q: searchText(200)
    .optional()
    .describe(
      'Words in its title or tool, or in the name of its worker or program, or its number (`12`, `#12`)',
    ),
  sort: z
    .enum(requestSorts)
    .optional()
    .describe(
      '`urgency` (default): by deadline, then risk, then age; `age`: oldest first; `createdAt`: newest first',
    ),
})

export const contentQuery = z.strictObject({
  file: text(1024)
    .min(1)
    .optional()
    .describe('Path of one of `namedFiles`; default: what will run or be written'),
})

const detailMembers = requestItem.extend({
  alike: alike.describe('Earlier requests that the call resembles'),
  input: json.describe('The arguments of the newest revision'),
  externalId: z
    .string()
    .nullable()
    .describe('The program’s identifier of the request, as in `external`'),
  verdict: z
    .enum(['ask', 'preApproved'])
    .nullable()
    .describe('The verdict of a worker’s policy; null: no policy judged it first'),
  metadata: z
    .record(z.string(), json)
    .nullable()
    .describe('What a program sent as `metadata`; null: nothing'),
  external: externalDetail.nullable().describe('What a program sent; null: a run asks'),
  presentation: presentation.describe('What approvers see of the newest revision'),
  namedFiles: z
    .array(namedFile)
    .describe('Every file that a command names; `/content?file=PATH` returns the bytes'),
  batch: batchWithSiblings
    .nullable()
    .describe('The place of the call in its turn, and the other calls; null: it has none'),
  runState: runState.nullable().describe('The state of the run; null for requests of programs'),
  eligiblePeople: z
    .array(
      person.extend({
        awayUntil: instant.nullable(),
        fillsPlace: z
          .boolean()
          .describe('Whether an approval by the person fills a place of the quorum that is open'),
      }),
    )
    .describe('The people who can decide; `awayUntil`: the end of their absence'),
  scopeCoverage: z
    .array(
      z.object({
        scope,
        tool: toolName,
        digest: hash
          .nullable()
          .describe('Digest of the file or call that it covers; null: it covers any'),
        path: z.string().nullable().describe('The path that it covers; null: none'),
        files: z
          .array(
            z.object({
              path: z.string().describe('Path in the workspace'),
              hash: z.string().describe('SHA-256 of its bytes'),
            }),
          )
          .describe('Files that a covered call must find unchanged'),
        covers: z.array(z.string()).describe('What it covers, as sentences'),
      }),
    )
    .describe(
      'For each of `allowedScopes`: what an approval covers, exactly, and in sentences as `covers`',
    ),
  scopesNotOffered: z
    .array(z.object({ scope, why: z.string().describe('The reason as a sentence') }))
    .describe('Wider scopes that are not possible for this call, and why'),
  decisions: z.array(decisionView).describe('Decisions about all revisions, oldest first'),
  previous: z
    .array(
      z.object({
        requestId: id,
        state: requestState,
        decidedBy: z.string().nullable().describe('Name of the person; null: nobody decided it'),
        reason: z.string().nullable().describe('The reason of that decision; null: no reason'),
      }),
    )
    .describe('Earlier requests for the same call of the run'),
  comments: z.array(commentView).describe('Comments, oldest first'),
  revisions: z
    .array(
      z.object({
        revision: z.int().describe('Number of the revision, from 1'),
        digest: hash.describe('Digest of the call as it is in the revision'),
        title: callTitle,
        editor: person.nullable().describe('Who changed the call; null: it is that of the model'),
        reason: z.string().nullable().describe('Why it was changed; null: no reason'),
        at: instant.describe('When the revision was made'),
      }),
    )
    .describe('All revisions, the first one first'),
  edits: z
    .enum(editsPolicies)
    .describe('Whether the caller may change the call before deciding it'),
  missingAfterEdit: z
    .array(quorumPlace)
    .describe(
      'What the quorum would lack after a change by the caller, who does not decide it then; empty: nothing',
    ),
  signatureRequired: z
    .boolean()
    .describe('Whether an approval must have an `assertion`, the signature of a passkey'),
  facts: z
    .record(z.string(), json)
    .describe(
      'What the service compares before execution, such as hashes of files and of the tool definition',
    ),
  outcomeOf: id
    .nullable()
    .describe('Of an `outcome_check`: id of the request whose call it is about'),
  outcomeCheck: id
    .nullable()
    .describe('Of a call with an unknown outcome: id of its newest `outcome_check`'),
  erased: erasedContents
    .nullable()
    .describe(
      'Set if the contents were erased; `input`, `presentation` and others are then placeholders',
    ),
  workspaceRoot: z
    .string()
    .nullable()
    .describe('Absolute path of the workspace; null outside the development profile'),
})

const detailExample: z.infer<typeof detailMembers> = {
  ...itemExample,
  alike: { same: [], similar: [], hidden: 0, again: 0 },
  input: example.input,
  external: null,
  externalId: null,
  verdict: null,
  metadata: null,
  presentation: {
    type: 'file_content',
    language: 'markdown',
    content: example.input.content,
    truncated: false,
    totalLines: 1,
    totalBytes: 8,
    metadata: { path: example.path },
    warnings: [],
    digest: example.otherDigest,
  },
  namedFiles: [],
  batch: { position: 1, size: 1, finished: false, otherRequests: 0, siblings: [] },
  runState: 'waiting_for_approval',
  eligiblePeople: [{ ...example.grace, awayUntil: null, fillsPlace: true }],
  scopeCoverage: [],
  scopesNotOffered: [],
  decisions: [],
  previous: [],
  comments: [],
  revisions: [
    {
      revision: 1,
      digest: example.digest,
      title: example.title,
      editor: null,
      reason: null,
      at: example.askedAt,
    },
  ],
  edits: 'revise',
  missingAfterEdit: [],
  signatureRequired: false,
  facts: {},
  outcomeOf: null,
  outcomeCheck: null,
  erased: null,
  workspaceRoot: null,
}

export const requestDetail = detailMembers.meta({ id: 'Request', examples: [detailExample] })
export type RequestDetail = z.infer<typeof requestDetail>

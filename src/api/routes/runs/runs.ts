import { z } from 'zod'
import { listManualTools } from '#services/engine/manual-calls/list-manual-tools.ts'
import { getRun } from '#services/runs/reading/get-run.ts'
import { listRuns } from '#services/runs/reading/list-runs.ts'
import { readCallFile } from '#services/runs/reading/read-call-file.ts'
import { readCallOutput } from '#services/runs/reading/read-call-output.ts'
import { readMessageFile } from '#services/runs/reading/read-message-file.ts'
import { readTranscript } from '#services/runs/reading/transcript.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { requirePerson, requireWorker } from '../../route/known-names.ts'
import { bytesAnswer, fileBytes, fileBytesText, fileBytesTypes } from '../../route/byte-answers.ts'
import { periodOf } from '../../route/period-of.ts'
import { route } from '../../route/route.ts'
import { hash, id, runRef } from '../../schemas/common.ts'
import * as actions from '../../schemas/runs/run-actions.ts'
import { toolList } from '../../schemas/tool-list.ts'
import * as schemas from '../../schemas/runs/runs.ts'
import { transcript } from '../../schemas/runs/transcript.ts'
import { pageView } from '../../views/page-view.ts'
import { runDetailView, runView, transcriptItemView } from '../../views/run-view.ts'
import { workspaceRootOf } from '../../context/api.ts'

const access = { by: 'personOrKey', scope: 'runs:read' } as const
const params = z.object({ id: runRef })
const callParams = z.object({ id: id.describe('Id of a call') })

export const runRoutes = [
  route({
    method: 'get',
    path: '/v1/runs',
    name: 'listRuns',
    summary: 'List runs',
    description: 'Runs the caller may see, newest first',
    access,
    query: schemas.runsQuery,
    answers: { 200: { description: 'A page', schema: schemas.runList } },
    answer: async (api, { query, caller }) => {
      await requireWorker(api, query.worker)
      await requirePerson(api, query.startedBy)
      const { activeFrom: from, activeTo: to, ...filters } = query
      const page = await listRuns(api.ctx, caller, { ...filters, active: periodOf({ from, to }) })
      return { status: 200, body: pageView(page, runView) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/runs/:id',
    name: 'getRun',
    summary: 'Get a run',
    description: 'One run',
    access,
    params,
    answers: { 200: { description: 'The run', schema: schemas.runDetail } },
    answer: async (api, { params, caller }) => {
      const record = await getRun(api.ctx, caller, await findRun(api.ctx, caller, params.id))
      const workspaceRoot = await workspaceRootOf(api, record.workspace.name)
      return { status: 200, body: runDetailView(record, api.settings, workspaceRoot) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/runs/:id/tools',
    name: 'listRunTools',
    summary: "List a run's tools",
    description: 'The manual tools that the caller may invoke on a run',
    access: { by: 'person' },
    params,
    answers: { 200: { description: 'The tools, with their schemas', schema: toolList } },
    problems: ['workspace_unreachable'],
    answer: async (api, { params, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const tools = await listManualTools(api.ctx, caller, runId)
      return { status: 200, body: { items: tools.map((tool) => ({ ...tool })) } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/runs/:id/transcript',
    name: 'getTranscript',
    summary: 'Get a transcript',
    description: 'Messages, calls and results, turn by turn',
    access,
    params,
    answers: { 200: { description: 'The whole transcript', schema: transcript } },
    answer: async (api, { params, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const items = await readTranscript(api.ctx, caller, runId)
      return { status: 200, body: { items: items.map(transcriptItemView) } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/calls/:id/output/:stream',
    name: 'getOutput',
    summary: "Get a command's output",
    description:
      'The output of a command on one of its streams: all stored bytes, or the newest bytes while it runs',
    access,
    params: callParams.extend({
      stream: z.enum(['stdout', 'stderr']).describe('The stream to read'),
    }),
    query: actions.outputQuery,
    answers: {
      200: {
        description: 'The bytes',
        contentTypes: ['text/plain'],
        headers: actions.outputHeaders,
      },
    },
    answer: async (api, { params, query, caller }) => {
      const { id: callId, stream } = params
      const { offset } = query
      const output = await readCallOutput(api.ctx, caller, { callId, stream, offset })
      const { attempt, bytes, start, state } = output
      return bytesAnswer(bytes, {
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': 'inline',
        'x-output-state': state,
        'x-output-attempt': String(attempt),
        'x-output-start': String(start),
      })
    },
  }),
  route({
    method: 'get',
    path: '/v1/calls/:id/files/:hash',
    name: 'getResultFile',
    summary: "Get a result's file",
    description: "A picture, sound or blob that a tool returned; the result's `files` name it",
    access,
    params: callParams.extend({ hash: hash.describe('Hash of the file, as in `files`') }),
    answers: {
      200: {
        description: fileBytesText,
        contentTypes: fileBytesTypes,
      },
    },
    answer: async (api, { params, caller }) => {
      const { id: callId, hash } = params
      return fileBytes(hash, await readCallFile(api.ctx, caller, { callId, hash }))
    },
  }),
  route({
    method: 'get',
    path: '/v1/runs/:id/files/:hash',
    name: 'getMessageFile',
    summary: "Get a message's file",
    description: 'A picture or a text that somebody sent with a message; the transcript names it',
    access,
    params: params.extend({ hash: hash.describe('Hash of the file, as in `files`') }),
    answers: { 200: { description: fileBytesText, contentTypes: fileBytesTypes } },
    answer: async (api, { params, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const { hash } = params
      return fileBytes(hash, await readMessageFile(api.ctx, caller, { runId, hash }))
    },
  }),
]

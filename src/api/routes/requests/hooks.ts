import { answerEvent } from '../../hooks/answer-event.ts'
import { recordingRefusals } from '../../route/recording-refusals.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/requests/hooks.ts'

const method = 'post'
const path = '/v1/hooks/claude-code'

/** Hooks of agents that ask the service itself, without a program on their machine. */
export const hookRoutes = [
  route({
    method,
    path,
    name: 'answerClaudeCodeHook',
    summary: 'Answer a hook of Claude Code',
    description:
      'One event of an HTTP hook, answered with the JSON of the hook before its own time is over. Events before a call are judged and wait for people; a call that was allowed has taken its permit. Events after a call report its outcome. What cannot be judged is denied',
    access: { by: 'personOrKey', scope: 'requests:write' },
    query: schemas.hookQuery,
    headers: schemas.hookHeaders,
    body: schemas.hookBody,
    answers: { 200: { description: 'What the agent does', schema: schemas.hookAnswer } },
    answer: async (api, { body, caller, identity, query, request, response }) => {
      const answer = await answerEvent(
        api,
        caller,
        {
          body,
          worker: query.worker ?? null,
          waitSeconds: query.wait,
          request,
          response,
        },
        (judging) => recordingRefusals(api, { method, path }, request, identity, judging),
      )
      return { status: 200, body: answer }
    },
  }),
]

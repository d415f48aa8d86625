import { isStillKnown } from '../../held-open/hold-stream.ts'
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
      "Takes one event of an HTTP hook and answers it with the JSON of the hook before the hook's own timeout. An event before a call is judged and can wait for people; an allowed call has consumed its permit. An event after a call reports its outcome. A call that cannot be judged is denied",
    access: { by: 'personOrKey', scope: 'requests:write' },
    query: schemas.hookQuery,
    headers: schemas.hookHeaders,
    body: schemas.hookBody,
    answers: { 200: { description: 'What the agent has to do', schema: schemas.hookAnswer } },
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
          isKnown: () => isStillKnown(api, request, identity),
        },
        (judging) => recordingRefusals(api, { method, path }, request, identity, judging),
      )
      return { status: 200, body: answer }
    },
  }),
]

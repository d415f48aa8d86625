import type { Command } from 'commander'
import { askAnswer, sendAnswer } from '../../decide/answer.ts'
import { misfitOf } from '../../decide/verb-of-kind.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { isInteractive } from '../../terminal/interactive.ts'
import { promptNow } from '../../terminal/prompt-now.ts'
import { connect } from '../../service/connect.ts'
import { withService, type JsonOptions } from '../../service/service-options.ts'
import { requestText } from '../../text/request-text.ts'
import { withExamples } from '../examples.ts'
import { requestArgument } from '../option-values.ts'
import { jsonText } from '../../terminal/json-text.ts'

/** `countersign answer ID`: answers a question of a run. */
export function addAnswerCommand(program: Command): void {
  const command = withService(program.command('answer'))
    .description('answer a question of a run; the agent reads your answer')
    .argument(...requestArgument)
    .argument('[text]', 'the answer; if the question offers choices, one of them')
    .option('--json', 'print the answer as JSON')
    .action(answer)
  withExamples(command, ['answer 12', 'answer 12 "use the release branch"'])
}

async function answer(
  ref: string,
  answerText: string | undefined,
  options: JsonOptions,
): Promise<void> {
  if (answerText === undefined && !isInteractive()) {
    const sentence = `Without a terminal, give the answer: countersign answer ${ref} TEXT`
    throw new CommandFailure(sentence, exitCodes.usage)
  }
  const service = await connect(options)
  const request = await service.call('getRequest', { params: { id: ref } })
  const misfit = misfitOf('answer', request)
  if (misfit !== null) throw new CommandFailure(misfit)
  if (answerText === undefined) console.log(requestText(request, { full: true }).text)
  const choice =
    answerText === undefined
      ? await promptNow('Nothing was answered.', (input) => askAnswer(request, input))
      : ({ decision: 'answer', text: answerText } as const)
  if (choice === 'skip' || choice === 'quit') throw new CommandFailure('Nothing was answered.')
  const recorded = await sendAnswer(service, request, choice)
  console.log(options.json === true ? jsonText(recorded) : 'Recorded. The agent reads it.')
}

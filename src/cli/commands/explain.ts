import type { Command } from 'commander'
import type { Explanation } from '#api/schemas/policy/policy.ts'
import { connect } from '../service/connect.ts'
import { withService, type JsonOptions } from '../service/service-options.ts'
import { table } from '../text/table.ts'
import { printable } from '../text/terminal-text.ts'
import { withExamples } from './examples.ts'
import { readInput } from './option-values.ts'
import { jsonText } from '../terminal/json-text.ts'

/**
 * `countersign explain WORKER TOOL INPUT`: how a hypothetical call would be judged, step by step.
 */
export function addExplainCommand(program: Command): void {
  const command = withService(program.command('explain'))
    .description('show how policy would judge a call, step by step')
    .argument('<worker>', 'the name of a file in workers/')
    .argument('<tool>', 'the name of the tool, such as write_file')
    .argument('<input>', 'the tool input as JSON')
    .option('--json', 'print JSON')
    .action(async (worker: string, tool: string, input: string, options: JsonOptions) => {
      const service = await connect(options)
      const body = { worker, tool, input: readInput(input) }
      const answer = await service.call('explainCall', { body })
      if (options.json === true) return console.log(jsonText(answer))
      console.log(
        `${answer.verdict}: ${printable(answer.reason)}\n${factsOf(answer)}\n\n${table(
          ['step', 'outcome', 'detail'],
          answer.steps.map((step) => [step.step, step.outcome, step.detail]),
          '',
        )}`,
      )
    })
  withExamples(command, [
    `explain release-notes write_file '{"path": "notes/1.2.md", "content": "…"}'`,
    `explain release-notes delete_file '{"path": "notes/1.0.md"}' --json`,
  ])
}

/** The rule that decided, its file and line, the risk, and the queue. */
function factsOf({ rule, risk, queue }: Explanation): string {
  const written = rule?.source == null ? '' : ` in ${rule.source}`
  const facts = [
    rule === null ? 'no rule' : `rule ${rule.id}${written}`,
    risk === undefined ? '' : `risk ${risk}`,
    queue === undefined ? '' : `queue ${queue}`,
  ]
  return printable(facts.filter((fact) => fact !== '').join(', '))
}

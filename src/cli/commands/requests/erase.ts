import type { Command } from 'commander'
import type { ErasedView } from '../../../api/schemas/requests/erasure.ts'
import { CommandFailure, exitCodes } from '../../exit-codes.ts'
import { connect } from '../../service/connect.ts'
import { path } from '../../service/path.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'

interface EraseOptions extends ServiceOptions {
  person?: string
  message: string
  json?: boolean
}

/** `countersign erase`: what people wrote goes, what commits to it stays. */
export function addEraseCommand(program: Command): void {
  const erase = withService(program.command('erase'))
    .description('erase what people wrote, for good: comments, reasons, answers, summaries')
    .argument('[request]', 'id or number; without one, of every request')
    .option('--person <email>', 'only what this person wrote')
    .requiredOption('-m, --message <text>', 'why')
    .option('--json', 'print JSON')
    .action(eraseWords)
  withExamples(erase, [
    'erase 12 -m "names a customer"',
    'erase 12 --person grace@example.com -m "names a customer"',
    'erase --person grace@example.com -m "asked for it after leaving"',
  ])
}

async function eraseWords(request: string | undefined, options: EraseOptions): Promise<void> {
  const { person, message: why } = options
  const service = await connect(options)
  const erased = await ask()
  if (options.json === true) return console.log(JSON.stringify(erased))
  const { texts, requests } = erased
  console.log(
    texts === 0 ? 'There was nothing to erase.' : `Erased ${texts} texts of ${requests} requests.`,
  )

  async function ask(): Promise<ErasedView> {
    if (request !== undefined) {
      const body = { why, ...(person === undefined ? {} : { person }) }
      return service.post<ErasedView>(path`/v1/requests/${request}/erasures`, body)
    }
    if (person === undefined) {
      throw new CommandFailure('Name a request, or a person with --person', exitCodes.usage)
    }
    return service.post<ErasedView>(path`/v1/people/${person}/erasures`, { why })
  }
}

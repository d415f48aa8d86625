import type { Command } from 'commander'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { ErasedView } from '#api/schemas/requests/erasure.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { connect } from '../../service/connect.ts'
import { withService, type JsonOptions } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'
import { readReference } from '../option-values.ts'
import { jsonText } from '../../terminal/json-text.ts'

interface EraseOptions extends JsonOptions {
  readonly contents?: boolean
  readonly person?: string
  readonly message: string
}

/**
 * `countersign erase`: removes what people wrote or the contents of a call. The hashes of it stay.
 */
export function addEraseCommand(program: Command): void {
  const erase = withService(program.command('erase'))
    .description(
      'erase permanently what people wrote (comments, reasons, answers, summaries), or the contents of the call of a request',
    )
    .argument('[request]', 'id or number; without one, of every request', readReference)
    .option(
      '--contents',
      'the contents of an ended request: arguments, presentation, files, output',
    )
    .option('--person <email>', 'only what this person wrote')
    .requiredOption('-m, --message <text>', 'the reason; required')
    .option('--json', 'print JSON')
    .action(runErase)
  withExamples(erase, [
    'erase 12 -m "names a customer"',
    'erase 12 --contents -m "held a customer’s address"',
    'erase 12 --person grace@example.com -m "names a customer"',
    'erase --person grace@example.com -m "asked for it after leaving"',
  ])
}

async function runErase(request: string | undefined, options: EraseOptions): Promise<void> {
  const { contents = false, person, message: why } = options
  if (contents && (request === undefined || person !== undefined)) {
    throw new CommandFailure('--contents takes a request, and no --person', exitCodes.usage)
  }
  const service = await connect(options)
  const erased = await ask()
  if (options.json === true) return console.log(jsonText(erased))
  console.log(contents ? contentsSentence(erased) : wordsSentence(erased))

  async function ask(): Promise<ErasedView> {
    if (request !== undefined) {
      const body = {
        why,
        ...(contents ? { what: 'contents' as const } : {}),
        ...(person === undefined ? {} : { person }),
      }
      return service.call('eraseRequest', { params: { id: request }, body })
    }
    if (person === undefined) {
      throw new CommandFailure('Name a request, or a person with --person', exitCodes.usage)
    }
    return service.call('erasePerson', { params: { email: person }, body: { why } })
  }
}

const nothing = 'There is nothing to erase.'

function wordsSentence({ texts, requests }: ErasedView): string {
  return texts === 0
    ? nothing
    : `Erased ${countWords(texts, 'text')} of ${countWords(requests, 'request')}.`
}

function contentsSentence({ requests, contents, bytes, kept: remaining }: ErasedView): string {
  if (requests === 0) return nothing
  const others = requests === 1 ? '' : ` of ${requests} requests about the same call`
  const shared =
    remaining === 0
      ? ''
      : ` Other requests still use ${countWords(remaining, 'text')}, which this one no longer shows.`
  return `Erased ${countWords(contents, 'content')} (${countWords(bytes, 'byte')})${others}.${shared}`
}

import { type Command, InvalidArgumentError } from 'commander'
import { limits } from '#domain/limits.ts'
import { dim } from '../text/colour.ts'
import { table } from '../text/table.ts'
import { jsonText } from '../terminal/json-text.ts'

export interface ServiceOptions extends FolderOptions {
  readonly url?: string
  readonly as?: string
}

/** Of a command that can also print JSON. */
export interface JsonOptions extends ServiceOptions {
  readonly json?: boolean
}

/** The options of every command that calls the running service. */
export function withService(command: Command): Command {
  return withUrl(withFolders(command)).option(
    '--as <email>',
    'act as this person (default: COUNTERSIGN_AS); on the machine itself, in the development profile',
  )
}

/** `--url`, which says where the service is. */
export function withUrl(command: Command): Command {
  return command.option(
    '--url <url>',
    'the service to ask (default: COUNTERSIGN_URL, or that of the data folder)',
  )
}

/** The command `ls` of a group. `list` and the group's name alone run it too. */
export function addList(group: Command): Command {
  return withService(group.command('ls', { isDefault: true }).alias('list'))
}

export interface FolderOptions {
  readonly project?: string
  readonly data?: string
}

/** `--project` and `--data`, which every command takes. */
export function withFolders(command: Command): Command {
  return command
    .option('--project <dir>', 'the project folder (default: the working directory)')
    .option('--data <dir>', 'the data folder (default: .countersign in the project folder)')
}

export interface PagingOptions {
  readonly limit?: string
  readonly cursor?: string
  readonly json?: boolean
}

/** The options of a listing that comes in pages. */
export function withPaging(command: Command): Command {
  return command
    .option('--limit <number>', 'how many, at most 200', readLimit, '50')
    .option('--cursor <cursor>', 'continue after a previous page')
    .option('--json', 'print JSON')
}

function readLimit(text: string): string {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= limits.maxListItems) return text
  throw new InvalidArgumentError(`a whole number from 1 to ${limits.maxListItems}.`)
}

/** The part of a query that names the page of a listing. */
export function pageOf({ limit, cursor }: PagingOptions) {
  return { limit, cursor }
}

/** The columns of a table: under each head, the text for an item. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>

export function rowOf<Item>(columns: Columns<Item>, item: Item): readonly string[] {
  return Object.values(columns).map((textOf) => textOf(item))
}

/**
 * Prints a list, or a page of one: as JSON, or as a table with the option that prints the next
 * page.
 */
export function printPage<Item>(
  list: { readonly items: readonly Item[]; readonly nextCursor?: string | null },
  options: { readonly json?: boolean },
  columns: Columns<Item>,
  empty: string,
): void {
  if (options.json === true) return console.log(jsonText(list))
  const rows = list.items.map((item) => rowOf(columns, item))
  console.log(table(Object.keys(columns), rows, empty))
  if (list.nextCursor) console.log(dim(`there are more: --cursor ${list.nextCursor}`))
}

import { connect } from './connect.ts'
import {
  pageOf,
  printPage,
  type Columns,
  type PagingOptions,
  type ServiceOptions,
} from './service-options.ts'
import type { Service } from './service.ts'

/** What a list command prints. */
export interface ListToPrint<Item> {
  readonly read: (
    service: Service,
    page: ReturnType<typeof pageOf>,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor?: string | null }>
  readonly columns: Columns<Item>
  /** the sentence in place of an empty table */
  readonly empty: string
}

/** Reads the list, or the page of it that the options name, and prints it. */
export async function printList<Item>(
  options: ServiceOptions & PagingOptions,
  { read, columns, empty }: ListToPrint<Item>,
): Promise<void> {
  const page = await read(await connect(options), pageOf(options))
  printPage(page, options, columns, empty)
}

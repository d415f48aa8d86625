import type { Page } from '#services/core/pages.ts'

/** The answer for a page of a list. */
export function pageView<Item, View>(
  { items, nextCursor }: Page<Item>,
  view: (item: Item) => View,
): { readonly items: View[]; readonly nextCursor: string | null } {
  return { items: items.map((item) => view(item)), nextCursor }
}

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useFocusReturn } from './use-focus-return.ts'

/** A list that is read page by page, as `useInfiniteQuery` returns it. */
interface PagedList<Answer> {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<Answer>
}

/**
 * A button that loads the next page of a list. After the last page, a line takes its place and its
 * focus; a list of one page has neither.
 */
export function ShowMore<Answer>({
  list,
  words = 'Show more',
  onLoaded,
}: {
  list: PagedList<Answer>
  words?: string
  onLoaded?: (answer: Answer) => void
}) {
  const [isUsed, setUsed] = useState(false)
  const end = useFocusReturn<HTMLParagraphElement>(list.hasNextPage)
  if (!list.hasNextPage) {
    return isUsed ? (
      <p ref={end} tabIndex={-1} className="dim small list-end">
        That is all.
      </p>
    ) : null
  }
  return (
    // Not switched off while it loads, so that it keeps the focus.
    <Button
      variant="default"
      mt="md"
      aria-disabled={list.isFetchingNextPage}
      onClick={() => {
        if (list.isFetchingNextPage) return
        setUsed(true)
        void list.fetchNextPage().then(onLoaded)
      }}
    >
      {list.isFetchingNextPage ? 'Loading…' : words}
    </Button>
  )
}

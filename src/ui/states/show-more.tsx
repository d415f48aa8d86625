import { Button } from '@mantine/core'

/** A button that loads the next page of a list. Hidden on the last page. */
export function ShowMore({
  list,
  words = 'Show more',
}: {
  list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  words?: string
}) {
  if (!list.hasNextPage) return null
  return (
    <Button
      variant="default"
      mt="md"
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {words}
    </Button>
  )
}

import { Button, Popover, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SavedViewPage } from '#domain/saved-view.ts'
import { callApi } from '../api/call-api.ts'
import { savedViewsQuery, useSavedViews } from '../api/queries.ts'
import { useAct } from '../states/use-act.ts'

/**
 * Keeps the filters of a page under a name. `query`: that of the address, as a view keeps it; there
 * is nothing to keep while it is empty, and "Saved" says that a view has it.
 */
export function SaveView(props: { page: SavedViewPage; query: string; label: string }) {
  const { page, query, label } = props
  const act = useAct(savedViewsQuery.queryKey)
  const views = useSavedViews(page)
  const [opened, setOpened] = useState(false)
  const [name, setName] = useState('')
  if (query === '') return null
  // It keeps its place: what is below it does not move when the views are known.
  if (views.some((view) => view.query === query)) {
    return (
      <Button variant="default" disabled>
        Saved
      </Button>
    )
  }
  const trimmed = name.trim()
  const replaces = views.some((view) => view.name === trimmed)
  const save = async (): Promise<void> => {
    const body = { page, name: trimmed, query }
    if (!(await act(() => callApi('saveView', { body }), `Saved as ${trimmed}`))) return
    setOpened(false)
    setName('')
  }
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpened(!opened)}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <form
          className="column"
          onSubmit={(event) => {
            event.preventDefault()
            if (trimmed !== '') void save()
          }}
        >
          <TextInput
            data-autofocus
            label="Name"
            description="For you alone, in every browser where you sign in"
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" disabled={trimmed === ''}>
            {replaces ? 'Replace the view with this name' : 'Save'}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

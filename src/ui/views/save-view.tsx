import { Button, Popover, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SavedViewPage } from '#domain/saved-view.ts'
import { callApi } from '../api/call-api.ts'
import { savedViewsQuery, useSavedViews } from '../api/queries.ts'
import { useAct } from '../states/use-act.ts'
import { verbs } from '../words/verbs.ts'

/**
 * Saves the filters of a page under a name. `query` is the query of the address in the form of a
 * view. Disabled while it is empty; shows "Saved" if a view has it.
 */
export function SaveView(props: { page: SavedViewPage; query: string; label: string }) {
  const { page, query, label } = props
  const act = useAct(savedViewsQuery.queryKey)
  const views = useSavedViews(page)
  const [isOpen, setIsOpen] = useState(false)
  const [name, setName] = useState('')
  if (query === '') return null
  // It always takes its space, so that nothing below it moves when the views are loaded.
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
    setIsOpen(false)
    setName('')
  }
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" onClick={() => setIsOpen(!isOpen)}>
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
            {replaces ? 'Replace the view with this name' : verbs.save}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

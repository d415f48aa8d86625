import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { callApi } from '../api/call-api.ts'
import { savedViewsQuery } from '../api/queries.ts'
import { useAct } from '../states/use-act.ts'

/** A button that removes a saved view, and not the objects in it. */
export function RemoveView({ id, name }: { id: string; name: string }) {
  const act = useAct(savedViewsQuery.queryKey)
  const remove = () => callApi('removeSavedView', { params: { id } })
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={`Remove ${name}`}
      onClick={() => void act(remove, `Removed ${name}`)}
    >
      <IconX size={14} aria-hidden />
    </ActionIcon>
  )
}

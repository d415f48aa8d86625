import { guaranteesOf } from './hook-guarantees.ts'

guaranteesOf('codex')

import { z } from 'zod';
import { once } from './once';

/** A schema that takes exactly these fields and no others, built on first use. */
export const exactObject = <T extends z.core.$ZodLooseShape>(
  fields: () => T,
): (() => z.ZodObject<z.core.util.Writeable<T>, z.core.$strict>) =>
  once(() => z.strictObject(fields()));

/**
 * Builds the input and output schemas of tools on zod, with the few forms that the contract needs.
 *
 * JSON Schema is made from these at build time (`deno task docs`) and checked in; at run time they only validate.
 */

import * as z from "zod";

/** A schema whose values have type `T`. */
export type Schema<T = unknown> = z.ZodType<T>;
/** Type of the values that schema `S` accepts. */
export type Infer<S> = S extends z.ZodType<infer T> ? T : never;

interface StringRule {
  readonly about?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface IntegerRule {
  readonly about?: string;
  readonly min?: number;
  readonly max?: number;
}

function described<S extends z.ZodType>(schema: S, about: string | undefined): S {
  return about === undefined ? schema : schema.describe(about) as S;
}

/** Text; `minLength` and `maxLength` in UTF-16 units. */
export function string(rule: StringRule = {}): z.ZodString {
  let schema = z.string();
  if (rule.minLength !== undefined) schema = schema.min(rule.minLength);
  if (rule.maxLength !== undefined) schema = schema.max(rule.maxLength);
  return described(schema, rule.about);
}

/** Whole number within `min`…`max`, both inclusive. `2.0` is one (O-7). */
export function integer(rule: IntegerRule = {}): z.ZodNumber {
  let schema = z.number().int();
  if (rule.min !== undefined) schema = schema.min(rule.min);
  if (rule.max !== undefined) schema = schema.max(rule.max);
  return described(schema, rule.about);
}

/** True or false; `about` is its description in the listing. */
export function boolean(about?: string): z.ZodBoolean {
  return described(z.boolean(), about);
}

/** One of `values`, whose literal types are kept. */
export function enumeration<const V extends readonly [string, ...string[]]>(
  values: V,
  about?: string,
): z.ZodEnum<{ [K in V[number]]: K }> {
  return described(z.enum(values), about) as unknown as z.ZodEnum<{ [K in V[number]]: K }>;
}

/** Items of one schema; `min` and `max` bound their number. */
export function array<S extends z.ZodType>(
  item: S,
  rule: { about?: string; min?: number; max?: number } = {},
): z.ZodArray<S> {
  let schema = z.array(item);
  if (rule.min !== undefined) schema = schema.min(rule.min);
  if (rule.max !== undefined) schema = schema.max(rule.max);
  return described(schema, rule.about);
}

/** Object with exactly these keys; anything else is refused (contract 3.0). */
export function object<F extends z.ZodRawShape>(fields: F, about?: string): z.ZodObject<F, z.core.$strict> {
  return described(z.strictObject(fields), about) as z.ZodObject<F, z.core.$strict>;
}

/** Object that may carry further keys: the shape of every output (contract 1.1). */
export function openObject<F extends z.ZodRawShape>(fields: F): z.ZodObject<F, z.core.$loose> {
  return z.looseObject(fields);
}

/** Object with free keys and values of one schema. */
export function record<S extends z.ZodType>(value: S, about?: string): z.ZodRecord<z.ZodString, S> {
  return described(z.record(z.string(), value), about);
}

/** A value that may be left out; `null` counts as left out (O-7) and never reaches the schema. */
export function optional<S extends z.ZodType>(schema: S): z.ZodOptional<S> {
  return z.optional(schema);
}

/** A value with a default, which the JSON Schema shows. */
export function withDefault<S extends z.ZodType>(schema: S, value: z.output<S>): z.ZodDefault<S> {
  return (schema as z.ZodType).default(value) as unknown as z.ZodDefault<S>;
}

/** What `schema` accepts, or null. */
export function nullable<S extends z.ZodType>(schema: S): z.ZodNullable<S> {
  return z.nullable(schema);
}

/** Any JSON value. */
export function anything(about?: string): z.ZodUnknown {
  return described(z.unknown(), about);
}

//! Reads rows. `functions/README.md` says how they are written.

use super::facts::{
    Access, Allocation, CallsBack, Computes, Course, Effect, Extent, Forward, Function, Harness,
    Loss, Mark, Parameter, Purity, Shape, Type,
};

/// The functions of a text, in its order; the problem and its line if there is one. Families come
/// with a `*` at the end of their names.
pub(crate) fn parse(text: &'static str) -> Result<Vec<Function>, String> {
    let mut functions = Vec::new();
    let mut common = "";
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let read = if line.is_empty() || line.starts_with('#') {
            continue;
        } else if let Some(words) = line.strip_prefix("::") {
            common = words;
            continue;
        } else {
            row(line, common)
        };
        functions.extend(read.map_err(|problem| format!("line {}: {problem}", number + 1))?);
    }
    Ok(functions)
}

/// Functions of a row: one for each of its names and other names, and for each type that `real`
/// stands for.
fn row(line: &'static str, common: &'static str) -> Result<Vec<Function>, String> {
    let (head, words) = line.split_once(" : ").unwrap_or((line, ""));
    let words = [common, words];
    let Some((names, rest)) = head.split_once('(') else {
        let names = head.split_whitespace();
        return names.map(|name| family(name, words)).collect();
    };
    let (parameters, result) = rest.rsplit_once(')').ok_or("no ')'")?;
    let result = result.trim().strip_prefix("->").map_or("void", str::trim);
    let real = parameters.contains("real") || result == "real";
    let widths: &[Type] = if real {
        &[Type::Double, Type::Float]
    } else {
        &[Type::Void]
    };
    let mut functions = Vec::new();
    for width in widths {
        for name in names.split_whitespace() {
            let name = match width {
                Type::Float => single(name),
                _ => name,
            };
            let mut function = empty(name);
            prototype(&mut function, parameters, result, *width)?;
            let others = attributes(&mut function, words)?;
            functions.push(function.clone());
            functions.extend(others.into_iter().map(|other| Function {
                name: other,
                ..function.clone()
            }));
        }
    }
    Ok(functions)
}

/// The name of the version for `float`.
fn single(name: &'static str) -> &'static str {
    let single = match name.strip_suffix("_r") {
        Some(stem) => format!("{stem}f_r"),
        None => format!("{name}f"),
    };
    Box::leak(single.into_boxed_str())
}

fn empty(name: &'static str) -> Function {
    Function {
        name,
        canonical: name,
        parameters: Vec::new(),
        variadic: false,
        rest: Access::None,
        result: Type::Void,
        forward: None,
        purity: Purity::None,
        loss: None,
        effect: None,
        calls_back: None,
        harness: None,
        allocation: None,
        computes: None,
        takes_descriptor: false,
        definition: None,
        course: None,
        marks: 0,
    }
}

/// All functions whose names begin alike: `NAME*`.
fn family(name: &'static str, words: [&'static str; 2]) -> Result<Function, String> {
    if !name.ends_with('*') {
        return Err(format!("{name}: no parameters"));
    }
    let mut function = empty(name);
    function.variadic = true;
    function.rest = Access::Unknown;
    attributes(&mut function, words)?;
    Ok(function)
}

fn prototype(
    function: &mut Function,
    parameters: &'static str,
    result: &str,
    width: Type,
) -> Result<(), String> {
    let parts = split(parameters);
    let names: Vec<&str> = parts
        .iter()
        .map(|part| part.split(':').next().map_or("", str::trim))
        .collect();
    for part in parts {
        let (name, ty) = part.split_once(':').unwrap_or((part, ""));
        let (name, ty) = (name.trim(), ty.trim());
        if name == "..." {
            function.variadic = true;
            function.rest = match ty {
                "" => Access::Unknown,
                ty => behind(ty, &names)?,
            };
            continue;
        }
        let access = behind(ty, &names)?;
        function.takes_descriptor |= ty == "fd";
        let ty = of_name(ty, width);
        function.parameters.push(Parameter { name, ty, access });
    }
    function.result = of_name(result, width);
    Ok(())
}

/// Parts between commas that are not in brackets.
fn split(text: &str) -> Vec<&str> {
    let parts = text.split(',').map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// The type of a name; all that is no number is a pointer.
fn of_name(name: &str, real: Type) -> Type {
    match name {
        "void" => Type::Void,
        "i1" => Type::Int(1),
        "i8" => Type::Int(8),
        "i16" => Type::Int(16),
        "i32" | "fd" => Type::Int(32),
        "i64" => Type::Int(64),
        "f32" => Type::Float,
        "f64" => Type::Double,
        "f80" => Type::LongDouble,
        "real" => real,
        "struct" => Type::Structure,
        _ => Type::Pointer,
    }
}

/// What is done to the memory behind a parameter of this type.
fn behind(ty: &str, names: &[&str]) -> Result<Access, String> {
    Ok(match ty {
        "ptr" => Access::Unknown,
        "text" | "in" => Access::Reads(Extent::Object),
        "file" => Access::File,
        "code" => Access::Code,
        "list" => Access::List,
        "addr" | "struct" | "real" | "fd" => Access::None,
        _ => {
            let Some((kind, bound)) = ty.split_once('[') else {
                return match of_name(ty, Type::Double) {
                    Type::Pointer => Err(format!("what is '{ty}'?")),
                    _ => Ok(Access::None),
                };
            };
            let bound = bound.strip_suffix(']').ok_or("no ']'")?;
            let extent = extent(bound, names)?;
            match kind {
                "in" => Access::Reads(extent),
                "out" => Access::Writes(extent),
                "inout" => Access::Changes(extent),
                _ => return Err(format!("what is '{kind}'?")),
            }
        }
    })
}

/// `*`, a number, a parameter, a number times a parameter, or the product of two parameters.
fn extent(bound: &str, names: &[&str]) -> Result<Extent, String> {
    if bound == "*" {
        return Ok(Extent::Object);
    }
    let parameter = |name: &str| {
        let place = names.iter().position(|other| *other == name);
        place.ok_or(format!("no parameter '{name}'"))
    };
    match bound.split_once('*') {
        Some((factor, name)) => match factor.parse() {
            Ok(factor) => Ok(Extent::Parameter(parameter(name)?, factor)),
            Err(_) => Ok(Extent::Product(parameter(factor)?, parameter(name)?)),
        },
        None => match bound.parse() {
            Ok(bytes) => Ok(Extent::Bytes(bytes)),
            Err(_) => Ok(Extent::Parameter(parameter(bound)?, 1)),
        },
    }
}

/// Adds what words say; the other names of the function.
fn attributes(
    function: &mut Function,
    words: [&'static str; 2],
) -> Result<Vec<&'static str>, String> {
    let mut others = Vec::new();
    for mut rest in words {
        while let Some((word, argument, next)) = word(rest)? {
            if word == "also" {
                others.extend(argument.unwrap_or("").split_whitespace());
            } else {
                attribute(function, word, argument).ok_or_else(|| format!("what is '{word}'?"))?;
            }
            rest = next;
        }
    }
    Ok(others)
}

type Word = (&'static str, Option<&'static str>, &'static str);

/// The first word with its argument, and what follows.
fn word(text: &'static str) -> Result<Option<Word>, String> {
    let text = text.trim_start();
    let end = text.find([' ', '(']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if word.is_empty() {
        return Ok(None);
    }
    Ok(Some(match rest.strip_prefix('(') {
        Some(rest) => {
            let (argument, rest) = rest.split_once(')').ok_or("no ')'")?;
            (word, Some(argument), rest)
        }
        None => (word, None, rest),
    }))
}

fn attribute(function: &mut Function, word: &str, argument: Option<&'static str>) -> Option<()> {
    let number = || argument.and_then(|text| text.parse::<usize>().ok());
    match word {
        "model" => function.forward = Some(Forward::Model),
        "wrapper" => function.forward = Some(Forward::Wrapper),
        "intrinsic" => function.forward = Some(Forward::Intrinsic),
        "output" => function.forward = Some(Forward::Output(number())),
        "pure" => pure(function, Purity::Call),
        "operation" => pure(function, Purity::Operation),
        "repeatable" => {
            function.forward = Some(Forward::Wrapper);
            mark(function, Mark::Repeatable);
        }
        "blind" => function.loss = Some(Loss::Nothing),
        "elsewhere" => function.loss = Some(Loss::Elsewhere),
        "descriptor" => function.loss = Some(Loss::Descriptor(number()?)),
        "by-name" => function.loss = Some(Loss::ByName),
        "reads" => effect(function, Effect::Reads),
        "streams" => effect(function, Effect::Streams),
        "fills" => effect(
            function,
            Effect::Fills {
                shares: argument == Some("shares"),
            },
        ),
        "writes-variable" => function.effect = None,
        "leaf" => function.calls_back = Some(CallsBack::Never),
        "callback" => function.calls_back = Some(CallsBack::Argument(number()?)),
        "at-exit" => function.calls_back = Some(CallsBack::AtExit(number()?)),
        "signals" => function.calls_back = Some(CallsBack::Signals),
        "input-object" => {
            let size = number().map(|size| size as u64);
            function.harness = Some(Harness::InputObject(size));
        }
        "input-value" => function.harness = Some(Harness::InputValue),
        "assume" => function.harness = Some(Harness::Assume),
        "allocates" => {
            function.allocation = Some(Allocation {
                plain: argument != Some("somehow"),
                zeroed: argument == Some("zeroed"),
                fails: argument != Some("surely"),
            });
        }
        "shape" => {
            function.course = Some(Course {
                shape: Shape::of(argument?)?,
                domain: ALL,
                within: ALL,
            });
        }
        "domain" => function.course.as_mut()?.domain = bounds(argument?)?,
        "within" => function.course.as_mut()?.within = bounds(argument?)?,
        "picture" => function.definition = Some(argument?),
        "computes" => function.computes = Some(Computes::of(argument?)?),
        _ => mark(function, Mark::of(word)?),
    }
    Some(())
}

/// All numbers.
const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Two numbers.
fn bounds(text: &str) -> Option<(f64, f64)> {
    let (least, most) = text.split_once(' ')?;
    Some((least.parse().ok()?, most.parse().ok()?))
}

/// A pure function has a wrapper, writes nothing and calls nothing.
fn pure(function: &mut Function, purity: Purity) {
    function.purity = purity;
    function.forward.get_or_insert(Forward::Wrapper);
    effect(function, Effect::Reads);
}

/// Whoever knows all that a function writes knows that it does not call the program.
fn effect(function: &mut Function, effect: Effect) {
    function.effect = Some(effect);
    function.calls_back.get_or_insert(CallsBack::Never);
}

fn mark(function: &mut Function, mark: Mark) {
    function.marks |= 1 << mark as u64;
}
